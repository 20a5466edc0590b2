" SPDX-License-Identifier: Apache-2.0
if exists('b:current_syntax') | finish | endif
runtime! syntax/python.vim
syntax match mlcOutput '#|.*$' contains=@NoSpell
syntax match mlcDiagnostic '#!.*$' contains=@NoSpell
syntax match mlcDialect '\<[TRI]\ze\.'
highlight default link mlcOutput SpecialComment
highlight default link mlcDiagnostic WarningMsg
highlight default link mlcDialect Structure
let b:current_syntax = 'mlc'
