import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of prompts. */
export const promptErrors = defineErrors({
  prompt_in_use: { status: 409, title: 'The prompt or the version is in use.' },
  not_a_prompt: { status: 422, title: 'The document is not a PromptVersion.' },
})
