import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of cost. */
export const costErrors = defineErrors({
  export_too_large: { status: 400, title: 'The export has too many rows; choose a shorter period or a namespace.' },
})
