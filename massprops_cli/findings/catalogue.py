"""Every rule: its code, name, usual severity, one line of what it says, and the usual remedy.

Blocks: 1xx files read and written, sheets; 2xx cells, columns and units; 3xx tree; 4xx physics; 5xx uncertainty;
6xx budgets; 9xx the tool. Each rule has a page beside this file in ``pages/`` and fixtures under ``tests/rules``.
"""

from __future__ import annotations

from typing import NamedTuple

STOPS = "stops"
"""No table could be understood: nothing is computed."""
NOT_WRITTEN = "not written"
"""What can be computed is printed and not written, unless with ``--keep-going``."""
WRITTEN = "written"
"""The result is printed and written; it is right but for what the finding names."""


class Rule(NamedTuple):
    """One rule of the catalogue; ``effect`` is what it does to the result if it is an error."""

    code: str
    name: str
    severity: str
    summary: str
    remedy: str
    effect: str = NOT_WRITTEN


# one line a rule keeps the table readable
# fmt: off
_RULES = (
    # 1xx: files read and written, sheets
    Rule("MP101", "unreadable-file", "error", "the file cannot be opened or read", "check the path and its permissions", STOPS),
    Rule("MP102", "encrypted-file", "error", "the workbook is encrypted", "save a copy without a password", STOPS),
    Rule("MP103", "misnamed-file", "warning", "the content is not what the suffix says", "rename the file, or say the format with --from"),
    Rule("MP104", "damaged-file", "error", "the file is cut short or corrupt", "open it in its own program and save it again", STOPS),
    Rule("MP105", "unknown-format", "error", "the format is not one that is read here", "say the format with --from", STOPS),
    Rule("MP106", "undecodable-text", "error", "the bytes are not text in the encoding", "say the encoding with --encoding, for instance --encoding cp1252", STOPS),
    Rule("MP107", "nul-byte", "error", "the text holds NUL bytes", "save the file again as UTF-8 text", STOPS),
    Rule("MP108", "ragged-row", "error", "a row has more or fewer fields than the header", "quote the field that holds the delimiter, or complete the row"),
    Rule("MP109", "broken-quote", "error", "a quoted field is not closed, or goes on after its closing quote", "close the quote; double a quote inside a quoted field", STOPS),
    Rule("MP110", "ambiguous-delimiter", "error", "two delimiters would both make a table", "say the delimiter with --delimiter", STOPS),
    Rule("MP111", "empty-table", "error", "there is no row of data", "give a table with a header and at least one row", STOPS),
    Rule("MP112", "several-sheets", "error", "several sheets could be the table", "name one with --sheet", STOPS),
    Rule("MP113", "no-such-sheet", "error", "the workbook has no such sheet", "name one of the sheets listed", STOPS),
    Rule("MP114", "cap-exceeded", "error", "the file is beyond a cap that guards this machine", "raise the cap with the option named", STOPS),
    Rule("MP115", "hostile-container", "error", "the archive holds what no spreadsheet program writes", "open it in its own program and save it again", STOPS),
    Rule("MP116", "formula-without-value", "error", "a formula has no saved value", "open the workbook in a spreadsheet program, recalculate and save"),
    Rule("MP117", "error-cell", "error", "a cell holds a spreadsheet error", "mend the formula, or clear the cell"),
    Rule("MP118", "merged-cells", "warning", "merged cells swallow values", "unmerge the cells and give each row its own value"),
    Rule("MP119", "hidden-rows", "warning", "hidden or filtered rows count", "unhide them, or delete them if they should not count"),
    Rule("MP120", "struck-out-rows", "note", "struck-out rows count", "delete them if they should not count"),
    Rule("MP121", "formula-kept", "warning", "a formula stands where a computed value belongs, and was kept", "write over it with --overwrite-formulas"),
    Rule("MP122", "signature-broken", "warning", "the workbook's signature does not cover the new content", "sign the new workbook"),
    Rule("MP123", "format-changed", "note", "the format cannot be edited and comes back as a fresh xlsx", "save the table as xlsx to have it edited in place"),
    Rule("MP124", "text-guarded", "note", "text that a spreadsheet would run as a formula got a leading apostrophe", "write to xlsx or json to keep it bare"),
    Rule("MP125", "wrong-dimension", "note", "the sheet's stated size is not the size of its content", "save the workbook again"),
    Rule("MP126", "not-records", "error", "the JSON is not a list of records", "give a list of objects, one a row", STOPS),
    Rule("MP127", "nested-value", "error", "a record holds a list or an object where a value belongs", "flatten the record"),
    Rule("MP128", "stray-cells", "note", "cells far outside the table were left alone", "clear them"),
    Rule("MP129", "cell-too-long", "error", "a cell holds more characters than the format can", "shorten the text, or write to another format"),
    Rule("MP130", "text-not-held", "error", "the output format cannot hold what a cell holds", "write to another format"),
    Rule("MP131", "sheet-renamed", "note", "a sheet of the user's has the name of one of the tool's, so the tool's took another", ""),
    Rule("MP132", "not-carried", "note", "a converted table does not carry what its worksheet holds beside values", "write a tree of outline levels or indents with --to-layout"),
    Rule("MP140", "not-in-report", "note", "a report holds masses beside those that are read", "add them as rows of a table"),
    Rule("MP141", "centre-on-axis", "note", "a report states centres along one axis, and the others are taken as 0", "convert it to a table and add the other coordinates"),
    Rule("MP142", "sheet-chosen", "note", "one of several sheets was read, because it alone holds a table", "name the sheet with --sheet"),
    # 2xx: cells, columns and units
    Rule("MP201", "no-header", "error", "the first row is not a header", "put the column names in the first row", STOPS),
    Rule("MP202", "duplicate-column", "error", "two columns mean the same", "rename one, or choose with --map"),
    Rule("MP203", "missing-column", "error", "a column that is needed is missing", "add the column, or name it with --map"),
    Rule("MP204", "unknown-map", "error", "a mapping names a column or a quantity that does not exist", "use one of the names listed"),
    Rule("MP205", "not-a-number", "error", "a cell is not a number", "write a plain number such as 12.5 or 1.25e1"),
    Rule("MP206", "blank-on-leaf", "error", "a leaf lacks a value that the table has a column for", "fill the cell, or pass --allow-missing"),
    Rule("MP207", "unknown-unit", "error", "a unit is not known or does not fit the column", "write a unit such as kg, mm or kg*m^2"),
    Rule("MP208", "implausible-unit", "warning", "the numbers do not look like the unit stated", "check the unit in the header"),
    Rule("MP209", "unit-conflict", "error", "two places state different units for one column", "state the unit once"),
    Rule("MP210", "force-as-mass", "error", "a mass column has a unit of force", "pass --as-weight if the numbers are weights"),
    Rule("MP211", "units-rewritten", "note", "cells were converted to the units asked for", ""),
    Rule("MP212", "incomplete-set", "error", "part of a set of values is given", "give the whole set or none of it"),
    Rule("MP213", "bad-sign-convention", "error", "POIconv is neither + nor -", "write + or -"),
    Rule("MP214", "no-sign-convention", "error", "products of inertia are given without their sign convention", "add a column POIconv, or pass --poi + or --poi -", WRITTEN),
    Rule("MP215", "bad-point-flag", "error", "Ipoint is not a truth value", "write true or false"),
    Rule("MP216", "blank-quantity", "note", "a blank quantity counts as 1", "write the quantity"),
    Rule("MP217", "zero-quantity", "note", "a quantity of 0 leaves the row out", "delete the row if it is not wanted"),
    Rule("MP218", "negative-quantity", "note", "a negative quantity removes pieces", "write a positive quantity if pieces are added"),
    Rule("MP219", "measured-quantity", "note", "a quantity that is not whole, or has a unit of measure, is one piece of that size", ""),
    Rule("MP220", "sign-read", "note", "a Unicode minus sign in POIconv was read as -", "write an ASCII hyphen-minus"),
    Rule("MP221", "number-lost", "error", "a number is too large or too small for double precision", "scale the column by choosing another unit"),
    Rule("MP222", "no-point-flag", "note", "rows have a centre and no inertia, and no column says which are point masses", "add a column Ipoint"),
    Rule("MP223", "missing-value", "warning", "values are missing and were allowed to be", "fill the cells; totals are lower bounds until then"),
    Rule("MP224", "no-written-sign", "error", "an assembly has no POIconv of its own and its children do not share one", "fill the cell, or pass --write-poi + or --write-poi -", WRITTEN),
    Rule("MP225", "ignored-column", "note", "a column has a name that looks like a quantity but is not read", "name it with --map if it is one"),
    Rule("MP226", "date-as-id", "warning", "an id is a date in the workbook", "format the column as text and type the id again"),
    Rule("MP227", "unit-assumed", "note", "a column states no unit and is taken to fit the others", "state the unit in the header, or with --unit"),
    Rule("MP228", "title-rows", "note", "rows above the header were passed over", ""),
    Rule("MP229", "blank-word", "note", "cells of a number column hold a word for nothing known, and are read as blank", "clear the cells, or write their numbers"),
    Rule("MP230", "unit-in-cell", "note", "cells of a number column name a unit, and are converted to the column's", "write the unit in the header, and plain numbers below it"),
    Rule("MP231", "separators-read", "note", "cells with a decimal comma or separators between digits were read as the one number they can be", "write plain numbers, or say the mark with --decimal"),
    Rule("MP232", "estimate-taken", "warning", "estimates such as ~3 were taken as plain numbers, as --accept-approximate allows", "put the doubt into a sigma column"),
    Rule("MP233", "hidden-characters", "note", "numbers were read without characters that nobody sees", "type the numbers again"),
    Rule("MP236", "truth-word", "note", "true or false is written as a formula's text or in another language's word, and was read as that", "write true or false"),
    Rule("MP237", "measure-mismatch", "error", "a quantity and what goes with it are in different units of measure", "state both in one unit"),
    Rule("MP238", "other-digits", "note", "numbers in other digits or signs, in fractions or powers of ten were read as the plain numbers they are", "write plain numbers"),
    Rule("MP239", "shown-otherwise", "error", "a worksheet shows a number with another unit than its column's, or in percent", "format the cell as a plain number, in the unit of the column"),
    Rule("MP234", "unit-column", "note", "a column holds the units of the numbers beside it, row by row", ""),
    Rule("MP235", "unclear-unit-column", "error", "a column of units can be that of the masses or that of the quantities", "say it with --map"),
    Rule("MP240", "remarks-below", "note", "remarks below the table are no items and were left out", ""),
    Rule("MP241", "two-row-header", "note", "the header is two rows, groups over columns, read together", ""),
    Rule("MP245", "unlisted-column", "error", "a column means a quantity that the frozen map does not list", "list it with --map, or freeze the map again with massprops inspect --save-map"),
    Rule("MP246", "coordinates-taken", "note", "columns called X, Y, Z beside a mass were taken for the centre", "name them CG X, CG Y, CG Z, or with --map"),
    Rule("MP247", "coordinates-not-read", "warning", "columns look like a centre and are not read", "name the three coordinates with --map"),
    Rule("MP248", "inertia-point-named", "note", "inertia is about the origin, by the header or the format, and was moved to own centres", ""),
    Rule("MP249", "inertia-points-differ", "error", "headers and options name different points that inertia is about", "say one of them, for all six"),
    Rule("MP250", "total-rows", "note", "rows that are totals, margins or limits are no items and were left out", ""),
    Rule("MP251", "reading-settled", "note", "masses or quantities were read in the one way that the sheet allows", "say it with --mass-is and --qty-is"),
    Rule("MP252", "unclear-reading", "error", "masses or quantities can be read in several ways that give different numbers", "pass --mass-is or --qty-is"),
    Rule("MP253", "unclear-variant", "error", "columns count pieces, and none of them is known as the quantity", "name one with --qty-column, or pass --all-variants"),
    Rule("MP254", "quantity-of-size", "error", "a quantity counts lengths or sizes, and another column says how large one piece is", "name the column that counts pieces with --map"),
    Rule("MP255", "repeated-header", "note", "the header stands again inside the table, and was left out", ""),
    Rule("MP256", "changed-header", "error", "a second header inside the table gives a column another name or unit", "bring the rows below it under the first header, or put a blank row above it and name a table with --table"),
    Rule("MP257", "doubtful-total", "error", "a row of a list may be a total or a limit, or an item", "pass --layout flat to count it, and --where to leave it out", STOPS),
    Rule("MP258", "remark-rows", "note", "remarks between the rows of the table are no items and were left out", ""),
    Rule("MP259", "group-rows", "note", "rows of a list with a name alone are the groups of the rows below them", ""),
    Rule("MP260", "side-in-words", "error", "a column says to which side coordinates are, in place of their signs", "write the numbers with their signs, and delete the column"),
    Rule("MP242", "several-tables", "error", "several tables stand on the sheet", "name one with --table", STOPS),
    Rule("MP243", "outside-table", "note", "cells outside the table were left out", ""),
    Rule("MP244", "no-items", "error", "no column names items and their mass: the table is no bill of materials", "name the columns with --map", STOPS),
    Rule("MP280", "coverage-added", "note", "columns of coverage were added to a flat file with missing values", "fill in the missing values"),
    # 3xx: tree
    Rule("MP301", "duplicate-id", "error", "an id stands on two rows", "give each item its own id"),
    Rule("MP302", "empty-id", "error", "a row has no id", "give the row an id, or delete it"),
    Rule("MP303", "padded-id", "warning", "blanks around an id were trimmed", "delete the blanks"),
    Rule("MP304", "look-alike-id", "error", "two ids differ only in characters that look alike", "write both ids with the same characters"),
    Rule("MP305", "unknown-parent", "error", "a parent is not the id of any row", "correct the parent, or add its row"),
    Rule("MP306", "self-parent", "error", "a row is its own parent", "name the real parent"),
    Rule("MP307", "cycle", "error", "parents form a loop", "break the loop at one of the rows named"),
    Rule("MP308", "several-roots", "error", "several rows have no parent", "name the root with --root, or give all but one a parent"),
    Rule("MP309", "no-root", "error", "no row is without a parent", "clear the parent of the top row, or name the root with --root", STOPS),
    Rule("MP310", "orphan-rows", "error", "rows hang on a row that is not in the tree", "mend the row they hang on"),
    Rule("MP311", "level-jump", "error", "a level is more than one deeper than the row before", "add the missing assembly row, or correct the level"),
    Rule("MP312", "bad-level", "error", "a level is not a level", "write 0, 1, 2 or .1, ..2"),
    Rule("MP313", "bad-item-number", "error", "an item number is not a dotted number", "write item numbers such as 1.2.10"),
    Rule("MP314", "lost-zero", "error", "a numeric cell may have lost a trailing zero", "format the column as text and type the item number again"),
    Rule("MP315", "ambiguous-layout", "error", "the table can be read in two layouts that give different trees", "say the layout with --layout"),
    Rule("MP316", "no-layout", "error", "no layout was found", "say the layout with --layout, or name its column with --map", STOPS),
    Rule("MP317", "made-root", "note", "a root was made to hold the rows without a parent", ""),
    Rule("MP318", "part-in-several-places", "warning", "one part with one centre stands in several places", "give each use a row with its own centre"),
    Rule("MP319", "part-numbers-differ", "warning", "items of one part number have different numbers", "check which row is right"),
    Rule("MP320", "left-out", "note", "rows outside what was asked for are left out", ""),
    Rule("MP321", "several-names", "error", "a row has names in several level columns", "leave one name on each row"),
    Rule("MP322", "missing-assembly", "error", "a dotted item number has no row for its parent", "add the assembly's row"),
    Rule("MP323", "read-as-uses", "note", "rows with a parent were read as uses of parts", "say it with --layout edges"),
    Rule("MP324", "parents-by-name", "note", "a column by another name holds the parents, and was read as them", "say it with --map parent"),
    Rule("MP330", "unclear-filter", "error", "a row could be kept by the filter or left out", "fill the blank cell, or take an assembly whole with --root"),
    Rule("MP331", "unclear-blank-quantity", "error", "a blank quantity of a variant can mean 0 or 1", "say it with --blank-qty 0 or --blank-qty 1"),
    # 4xx: physics
    Rule("MP401", "mass-not-positive", "error", "a mass is negative", "correct the mass, or pass --allow-negative-mass"),
    Rule("MP402", "mass-zero", "warning", "a leaf has no mass", "fill in the mass, or delete the row"),
    Rule("MP403", "tensor-not-positive", "error", "a tensor of inertia has a negative principal moment", "check the sign convention of the products and the order of the six numbers", WRITTEN),
    Rule("MP404", "triangle-inequality", "error", "one principal moment exceeds the sum of the other two", "check the six numbers, their order and their unit", WRITTEN),
    Rule("MP405", "tensor-rounding", "note", "a tensor is off by no more than the rounding of its digits explains", "write more digits"),
    Rule("MP406", "zero-tensor", "warning", "a body that is no point mass has no inertia", "fill in the inertia, or mark the row as a point mass"),
    Rule("MP407", "not-finite", "error", "a number is not finite", "write a plain number"),
    Rule("MP408", "implausible-radius", "warning", "a radius of gyration does not fit the size of the tree", "check the units of inertia and length"),
    Rule("MP409", "branch-cancels", "warning", "the masses of a branch cancel", "check the signs of its masses and quantities"),
    Rule("MP410", "root-cancels", "error", "the masses of the whole tree cancel", "check the signs of masses and quantities", WRITTEN),
    Rule("MP411", "assembly-differs", "warning", "an assembly's own number is not what its children give", "delete the number, or say what it means with --assembly-values"),
    Rule("MP412", "pieces-at-one-place", "warning", "several pieces with an inertia share one centre, so their spread is unknown", "give each piece a row with its own centre"),
    Rule("MP413", "total-differs", "warning", "a total in the sheet is not what its rows add up to", "check the total, or whether masses and quantities are per piece", WRITTEN),
    Rule("MP414", "product-differs", "warning", "a total mass or quantity of a row is not the product of the columns beside it", "correct one of them"),
    # 5xx: uncertainty
    Rule("MP501", "sigma-negative", "error", "a sigma is negative", "write the sigma as a positive number"),
    Rule("MP502", "sigma-missing", "error", "a leaf lacks a sigma that the table has a column for", "fill the cell, or pass --allow-missing sigma"),
    Rule("MP503", "sigma-implausible", "warning", "sigmas are larger than their values", "check whether the sigmas are absolute numbers in the column's unit"),
    Rule("MP504", "sigma-columns-incomplete", "warning", "some of the sigma columns are missing", "add the missing columns, or pass --uncertainty none"),
    Rule("MP505", "sigma-restated", "note", "sigmas are stated otherwise than as one standard deviation in the column's unit", ""),
    Rule("MP506", "sigma-level-unclear", "error", "a header does not say clearly how many standard deviations its numbers are", "write one of them into the header, for instance [kg, k=2]"),
    Rule("MP507", "bounds-out-of-order", "error", "the least, likeliest and greatest value and the value itself are not in that order", "correct the bounds, or the value"),
    Rule("MP508", "unknown-distribution", "error", "a cell under dist is no distribution", "write normal, lognormal, uniform, triangular or truncated"),
    Rule("MP509", "distribution-contradicted", "error", "the distribution of a row and its sigmas and bounds do not go together", "change the distribution, or clear the cells that it does not have"),
    Rule("MP510", "two-sigmas", "error", "the sigma of a row is not the one of its bounds", "clear the sigma or the bounds"),
    Rule("MP511", "mean-not-value", "note", "the bounds of values have means that are not these values", "move the values or the bounds if the totals should be means"),
    Rule("MP512", "unknown-method", "error", "a cell under method is not in the table of percentages", "write one of its words, or put the word into [sigma-percent]"),
    Rule("MP513", "center-sigma-zero", "warning", "no column states the sigmas of centres, and they are taken as 0", "add the columns sigma_Cx, sigma_Cy, sigma_Cz"),
    Rule("MP514", "group-not-read", "warning", "an assembly that is computed has a cell under corr_group", "write the group on the rows of its parts"),
    Rule("MP515", "bad-correlation", "error", "a row of a correlation file cannot be used", "give a, b, quantity and a rho from -1 to 1, each pair once"),
    Rule("MP516", "unknown-group", "error", "a correlation file names a group that no item is in", "use one of the groups of the table"),
    Rule("MP517", "correlation-not-possible", "error", "a matrix of correlations is not positive semi-definite", "state correlations that can hold together"),
    Rule("MP518", "first-order-off", "warning", "samples differ from what first order gives, beyond accident", "take sigmas, percentiles and intervals from the samples"),
    Rule("MP519", "groups-alike", "warning", "the names of two groups of shared errors look the same but for case and blanks", "write them alike if they are one group"),
    # 6xx: budgets
    Rule("MP601", "mass-over-limit", "error", "the mass of an item is above its limit", "take mass out, raise the limit, or waive it with a reason", WRITTEN),
    Rule("MP602", "mass-under-limit", "error", "the mass of an item is below its limit", "check that nothing is missing, or lower the limit", WRITTEN),
    Rule("MP603", "margin-too-small", "error", "the margin of an item to its limit is too small", "take mass out, raise the limit, or ask for less margin", WRITTEN),
    Rule("MP604", "center-out-of-range", "error", "the centre of mass of an item is outside its range", "move mass, or widen the range", WRITTEN),
    Rule("MP605", "center-out-of-envelope", "error", "the centre of mass of an item is outside its envelope of station and mass", "move mass, or correct the envelope", WRITTEN),
    Rule("MP606", "inertia-out-of-range", "error", "a moment or product of inertia is outside its range", "move mass, or widen the range", WRITTEN),
    Rule("MP607", "coverage-too-low", "error", "too little of an item's mass is known", "fill in the missing masses, or ask for less", WRITTEN),
    Rule("MP608", "probability-too-low", "error", "a limit is kept with too little probability", "reduce the uncertainty, or leave more margin", WRITTEN),
    Rule("MP609", "maturity-too-low", "error", "too little of an item's mass is as mature as asked", "weigh or calculate more of it, or ask for less", WRITTEN),
    Rule("MP610", "budget-selects-nothing", "error", "an entry of the budget selects no item", "correct the id, the pattern, the level or the column", WRITTEN),
    Rule("MP611", "waiver-unused", "warning", "a waiver waives nothing", "delete it, or correct its rule and item"),
    Rule("MP612", "waiver-expired", "warning", "a waiver has expired", "mend the fault, or extend the waiver with a reason"),
    Rule("MP620", "growth-not-in-table", "error", "a category or maturity is not in the growth table", "write one of the table's words, or add the word to the table"),
    Rule("MP621", "growth-missing", "warning", "a part has no growth", "write its growth, 0 where it has none, or mark it weighed"),
    Rule("MP622", "bad-growth", "error", "a growth is no percentage from 0 on, or it is not clear whether it is one", "write a percentage"),
    Rule("MP623", "growth-not-used", "note", "a growth is stated where none is used", "delete it"),
    Rule("MP640", "threshold-crossed", "error", "a total changed by more than its threshold", "look at the waterfall of the change, or raise the threshold", WRITTEN),
    Rule("MP641", "matched-in-order", "note", "part numbers stand several times, so the order of the rows says which item is which", "match by id if the ids are the same in both files"),
    Rule("MP642", "roots-differ", "note", "the roots have different ids, and were compared as the whole of their files", ""),
    Rule("MP643", "change-without-reason", "warning", "an item changed, and no reason is given for it", "write its reason, or that of an assembly above it"),
    Rule("MP644", "reason-not-used", "warning", "a reason is given for an item that is not there, or did not change", "correct the item, or delete the line"),
    Rule("MP645", "change-of-what-is-known", "warning", "masses are missing in one of two revisions, so the change is that of what is known", "fill in the masses in both files"),
    Rule("MP646", "nearly-the-same-item", "warning", "an item is gone, and a new one is called the same but for case, blanks or zeros in front", "write it alike in both files"),
    # 9xx: the tool
    Rule("MP901", "unknown-rule", "error", "a selection names a rule that does not exist", "see massprops rules", STOPS),
    Rule("MP902", "unknown-key", "error", "a configuration file has a key that is not known", "use the nearest key, or delete it", STOPS),
    Rule("MP999", "internal-fault", "error", "the tool has a fault", "please report it with the message", STOPS),
)

# fmt: on

RULES: dict[str, Rule] = {rule.code: rule for rule in _RULES}
"""Every rule by its code."""
