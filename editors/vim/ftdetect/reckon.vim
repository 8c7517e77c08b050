autocmd BufRead,BufNewFile *.rk setfiletype reckon
