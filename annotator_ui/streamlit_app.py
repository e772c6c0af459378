"""The annotators' pages; `judge ui` starts them."""

from pathlib import Path

import streamlit as st

from annotator_ui.session import words

say = words()
st.set_page_config(page_title=f"judge · {say('title')}", layout="wide")
here = Path(__file__)
st.html(here.with_name("style.css"))
label = st.Page("app_pages/label.py", title=say("title"), default=True)
st.navigation([label], position="hidden").run()
# the only script: our own file, no data in it; last, so that its empty box moves nothing
st.html(here.with_name("keys.html"), unsafe_allow_javascript=True)
