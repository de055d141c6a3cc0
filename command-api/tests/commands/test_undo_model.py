"""No undo loses a later change; see `two_people`."""

from command_api_testing.two_people import TwoPeople
from hypothesis import settings

TestTwoPeople = TwoPeople.TestCase
TestTwoPeople.settings = settings(deadline=None, max_examples=60, stateful_step_count=14)
