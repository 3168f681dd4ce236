from phalanx.studies import dhanaraj, khan, sharf, wong

__all__ = ["dhanaraj", "khan", "sharf", "wong"]
