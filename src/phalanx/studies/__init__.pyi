from phalanx.studies import dhanaraj, khan, sharf

__all__ = ["dhanaraj", "khan", "sharf"]
