" SPDX-License-Identifier: Apache-2.0
if exists('b:did_ftplugin') | finish | endif
runtime! ftplugin/python.vim indent/python.vim
setlocal commentstring=#\ %s expandtab shiftwidth=4 softtabstop=4 textwidth=100 formatprg=mlc\ fmt\ -
if has('nvim-0.8')
  lua vim.lsp.start({ name = 'mlc', cmd = { 'mlc', 'lsp' }, root_dir = vim.fn.expand('%:p:h') })
endif
