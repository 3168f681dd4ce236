from phalanx.studies import dhanaraj, khan

__all__ = ["dhanaraj", "khan"]
