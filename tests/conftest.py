"""What every test starts from."""

from tests.home_guard import real_home_stays_out_of_reach

__all__ = ["real_home_stays_out_of_reach"]
