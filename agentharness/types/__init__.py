"""The nouns of the harness, as plain records: no behaviour beyond what keeps a record whole, no import but the floor's own."""
