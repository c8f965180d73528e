"""Measure how well the product's own search and hooks find labelled memories.

Histories are written through the store's own API, and queries asked as of their time. No ranking happens here.
"""
