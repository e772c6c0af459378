"""Published and library figures, small tables with their sources."""

COHEN = [
    # name, table (judge x human), weights, kappa, se, tolerance, source
    ("wiki_1", [[20, 5], [10, 15]], "none", 0.4, None, 1e-6, "Wikipedia 'Cohen's kappa', grant proposals"),
    ("wiki_2", [[45, 15], [25, 15]], "none", 0.1304, None, 1e-4, "Wikipedia 'Cohen's kappa', same po"),
    ("paradox_1", [[40, 9], [6, 45]], "none", 0.6996, None, 2e-4, "Feinstein & Cicchetti 1990 table 1"),
    ("paradox_2", [[80, 10], [5, 5]], "none", 0.3182, None, 1e-4, "Feinstein & Cicchetti 1990 table 2"),
    (
        "sexual_fun",
        [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]],
        "none",
        0.12933,
        0.068599,
        2e-5,
        "R vcd::Kappa(SexualFun); Agresti 1990 table 2.10",
    ),
    (
        "sexual_fun_quadratic",
        [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]],
        "quadratic",
        0.33205,
        0.097298,
        2e-5,
        "R vcd::Kappa(SexualFun, 'Fleiss-Cohen')",
    ),
    (
        "patients",
        [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]],
        "none",
        0.20794,
        0.050455,
        2e-5,
        "R vcd::Kappa(MSPatients Winnipeg); Westlund & Kurland 1953",
    ),
    (
        "patients_quadratic",
        [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]],
        "quadratic",
        0.52458,
        0.060055,
        2e-5,
        "R vcd::Kappa(MSPatients Winnipeg)",
    ),
    (
        "diagnosis",
        [[40, 4, 4, 17], [6, 25, 2, 13], [4, 1, 21, 12], [15, 5, 9, 45]],
        "none",
        0.43150078,
        0.04596918,
        1e-7,
        "Gwet cont4x4diagnosis; statsmodels",
    ),
    ("sklearn_linear", [[46, 0, 0], [4, 40, 0], [0, 0, 10]], "linear", 0.9412, None, 1e-4, "scikit-learn's tests"),
    (
        "sklearn_quadratic",
        [[46, 0, 0], [4, 40, 0], [0, 0, 10]],
        "quadratic",
        0.9541,
        None,
        1e-4,
        "scikit-learn's tests",
    ),
    ("perfect", [[20, 0], [0, 10]], "none", 1.0, 0.0, 1e-9, "definition"),
]

COHEN_1968 = ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], [[0, 1, 3], [1, 0, 6], [3, 6, 0]], 0.34782609)
"""Table, disagreement weights, kappa: Cohen 1968; R psych::cohen.kappa(w=) gives 0.348."""

EPIDEMIOLOGY = ([[19, 10], [6, 256]], 0.67358385, 0.91839596)
"""Table, kappa, kappa_max: R epiR 2.0.57 epi.kappa; statsmodels."""

ABSTRACTORS = ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.7964094, 0.94447529)
"""Table, kappa, kappa_max: Gwet cont3x3abstractors; irrCAC 0.4.4."""

SCHOOLS_STRATIFIED = [
    # weight, sampling fraction, table
    (44.2099991, 0.0226193169, [[7, 18], [2, 73]]),
    (15.1000004, 0.0662251656, [[23, 10], [1, 16]]),
    (20.3600006, 0.0491159136, [[15, 11], [0, 24]]),
]
"""R survey 4.1 svykappa(~comp.imp + sch.wide), data(api) apistrat: kappa .4829869271, SE .0641878167."""

SCHOOLS_CLUSTERED = [
    # district, (No, No), (No, Yes), (Yes, Yes)
    (61, 2, 1, 10),
    (135, 3, 5, 26),
    (178, 1, 0, 3),
    (197, 3, 1, 9),
    (255, 1, 2, 13),
    (406, 0, 0, 2),
    (413, 0, 0, 1),
    (437, 0, 0, 4),
    (448, 0, 1, 11),
    (510, 3, 4, 14),
    (568, 2, 3, 4),
    (637, 0, 2, 9),
    (716, 5, 6, 26),
    (778, 1, 0, 1),
    (815, 2, 2, 0),
]
"""R survey svykappa, apiclus1: kappa .5532145764, SE .0402584142 on 14 df; .0398575571 at fraction .019815059."""
