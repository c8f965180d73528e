"""The benchmark: labelled histories written through the store's own API, every query asked through the product's own
functions as of its time, and the answers measured. No ranking happens here.
"""
