"""Control hand-over between clients: one holds the controls, others watch and may ask.

One page holds the controls, others watch. Free controls go to the first that asks;
while they are held, asking is a request that the holder may grant. They become free when the holder
gives them back, goes away, or falls silent with a stick off its centre. Whenever the holder changes
the machine is centred, so no client inherits a motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from phalanx.view.web.reading import Refused

SILENCE = 0.5  # [s] without a word from a holder who is moving the machine


@final
@dataclass(frozen=True)
class ControlHandover:
    """State of the control hand-over.

    Attributes:
        holder: Number of the page that drives.
        wishes: Pages that asked while another held the controls, in order.
        heard: When the holder last said anything [s].
        deflected: Whether a stick of the holder is off its centre.
    """

    holder: int | None = None
    wishes: tuple[int, ...] = ()
    heard: float = 0.0
    deflected: bool = False

    def asked(self, client: int, now: float) -> ControlHandover:
        """A page wants the controls: it gets them when they are free, and waits otherwise."""
        if self.holder is None:
            return ControlHandover(client, (), now)
        if client == self.holder or client in self.wishes:
            return self
        return replace(self, wishes=(*self.wishes, client))

    def handed_over(self, client: int, to: int | None, now: float) -> ControlHandover:
        """The holder gives the controls to one that asked; to the first by default.

        Raises:
            Refused: When the page does not hold them or no page of that number asked.
        """
        self._check_holder(client)
        if not self.wishes:
            raise Refused("Nobody asked for the controls. Give them back to let anybody take them.")
        chosen = self.wishes[0] if to is None else to
        if chosen not in self.wishes:
            raise Refused(f"Page {chosen} did not ask for the controls.")
        return ControlHandover(chosen, tuple(one for one in self.wishes if one != chosen), now)

    def released(self, client: int) -> ControlHandover:
        """The holder gives the controls back: they are free.

        Raises:
            Refused: When the page does not hold them.
        """
        self._check_holder(client)
        return ControlHandover()

    def left(self, client: int) -> ControlHandover:
        """A page is gone, and with it what it held or asked for."""
        if client == self.holder:
            return ControlHandover()
        return replace(self, wishes=tuple(one for one in self.wishes if one != client))

    def heard_from(self, client: int, now: float) -> ControlHandover:
        """A sign of life."""
        return replace(self, heard=now) if client == self.holder else self

    def moved(self, client: int, deflected: bool) -> ControlHandover:
        """The holder's sticks are off their centre, or back.

        Raises:
            Refused: When the page does not hold the controls.
        """
        self._check_holder(client)
        return self if deflected == self.deflected else replace(self, deflected=deflected)

    def checked(self, now: float) -> ControlHandover:
        """Free when the holder has fallen silent while moving the machine."""
        silent = self.deflected and now - self.heard > SILENCE
        return ControlHandover() if silent else self

    def _check_holder(self, client: int) -> None:
        if client != self.holder:
            raise Refused("You do not hold the controls. Take them first.")
