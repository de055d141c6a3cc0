"""Two people change, remove, restore and undo as they like: no undo loses what the other has done since."""

from command_api_testing.two_people import TwoPeople
from hypothesis import settings

TestTwoPeople = TwoPeople.TestCase
TestTwoPeople.settings = settings(deadline=None, max_examples=60, stateful_step_count=14)
