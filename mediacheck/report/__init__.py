"""Renderers: from a report to text, a table, JUnit XML. JSON is the report itself (``mediacheck.serialise``)."""
