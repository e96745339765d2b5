"""What the algorithms did, call by call, as frozen records that can be saved, checked and replayed."""
