; inherits: python
; SPDX-License-Identifier: Apache-2.0
; Programs are read by the grammar of Python; these are the words of our own.

; T.grid, I.ir_module
((attribute object: (identifier) @module attribute: (identifier) @function.builtin)
  (#any-of? @module "T" "R" "I"))

; The name of a block: with T.sblock("C")
((call function: (attribute attribute: (identifier) @_open) arguments: (argument_list . (string) @label))
  (#any-of? @_open "sblock" "block" "get_sblock" "get_block"))

; What a statement prints, and what it raises, in golden files
((comment) @comment.documentation (#lua-match? @comment.documentation "^#|"))
((comment) @comment.error (#lua-match? @comment.error "^#!"))
