# Times, rates and counts of rounds are the machine's; the words are the program's.
s/[0-9]* rounds* [a-z]* too few to compare.*/a comparison/
s/no difference between .*/a comparison/
s/undecided between .*/a comparison/
s/^\( *\)\(cold: \)*[A-Za-z]* \(is\|takes\) [0-9.e+]* times as .*/\1\2a comparison/
s/[0-9][0-9]* rounds*/N rounds/
s/[0-9.][0-9.]* \(s\|ms\|us\|ns\)\b/TIME/g
s/[0-9.e+-]* GFLOP\/s/RATE/g
s/[0-9.e+-]* GB\/s/RATE/g
s/[0-9.]* % of its roofline ([A-Za-z0-9 ]*)/SHARE/
s/beyond its roofline ([A-Za-z0-9 ]*)/SHARE/
s/too few rounds for an interval/TIME to TIME/
s/  */ /g
