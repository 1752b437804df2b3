import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of connecting providers. */
export const providerErrors = defineErrors({
  provider_rejected_key: { status: 422, title: 'The provider does not accept the key.' },
  provider_unreachable: { status: 502, title: 'The provider cannot be reached.' },
  provider_answered_badly: { status: 502, title: 'The provider did not answer as its API requires.' },
  provider_in_use: { status: 409, title: 'Routes call the provider.' },
  provider_without_key: { status: 409, title: 'The provider has no key that this operation can replace.' },
})
