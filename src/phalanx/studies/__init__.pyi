from phalanx.studies import dhanaraj, khan, lathrop, sharf, wong

__all__ = ["dhanaraj", "khan", "lathrop", "sharf", "wong"]
