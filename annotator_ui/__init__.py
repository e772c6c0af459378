"""The annotator's pages (Streamlit)."""
