"""The demo data: invented questions, passages and answers, with labels known by construction."""
