"""The annotators' pages; `judge ui` starts them."""

from pathlib import Path

import streamlit as st

from annotator_ui.session import words

say = words()
st.set_page_config(page_title=f"judge · {say('title')}", layout="wide")
st.html(Path(__file__).with_name("style.css"))
label = st.Page("app_pages/label.py", title=say("title"), default=True)
st.navigation([label], position="hidden").run()
