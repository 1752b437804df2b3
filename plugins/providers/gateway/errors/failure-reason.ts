import type { OutboundReason } from '#core/http-client/outbound-error.ts'

/** Why an attempt at a provider failed: a closed list, for the log and the label of a metric. */
export type FailureReason =
  | OutboundReason
  | 'provider_missing'
  | 'not_allowed'
  | 'secret_missing'
  | 'secret_not_labelled'
  | 'origin_mismatch'
  | 'key_unusable'
  | 'no_adapter'
  | 'overloaded'
  | 'key_refused'
  | 'request_refused'
  | 'provider_error'
  | 'broke_off'
  | 'unreadable'
  | 'circuit_open'
