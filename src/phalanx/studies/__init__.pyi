from phalanx.studies import dhanaraj, khan, lathrop, sharf

__all__ = ["dhanaraj", "khan", "lathrop", "sharf"]
