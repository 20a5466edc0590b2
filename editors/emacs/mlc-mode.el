;;; mlc-mode.el --- Programs of mlc -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;; Package-Requires: ((emacs "29.1"))
;;; Commentary:
;; Python's mode, with the language server of mlc.  (require 'mlc-mode), then M-x eglot in a program.
;;; Code:
(require 'python)

(define-derived-mode mlc-mode python-base-mode "mlc"
  "Programs of mlc: TVMScript, and the script that drives schedules and passes."
  (setq-local font-lock-defaults '(python-font-lock-keywords-maximum-decoration nil nil nil nil)
              fill-column 100
              indent-tabs-mode nil))

(add-to-list 'auto-mode-alist '("\\.mlc\\'" . mlc-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(mlc-mode . ("mlc" "lsp"))))

(provide 'mlc-mode)
;;; mlc-mode.el ends here
