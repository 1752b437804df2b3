import { ApiProblem } from '#ui/api/api-problem.ts'
import type { ConsentResult } from '#schemas/api/mcp-grants.ts'
import { grantsText } from './text.ts'

const { refusals } = grantsText.callback

/** The page of a server. Pure. */
export function serverPath(namespace: string, server: string): string {
  return `/mcpservers/${[namespace, server].map(encodeURIComponent).join('/')}`
}

/** A path of the console; undefined for what leads elsewhere, such as `//host` or `/\host`. Pure. */
export function consolePath(given: string | null | undefined): string | undefined {
  return given !== null && given !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(given) ? given : undefined
}

/** The parameters of a return that the API takes; undefined without a state. Pure. */
export function toConsentResult(search: Readonly<Record<string, string | undefined>>): ConsentResult | undefined {
  const { state, code, iss, error } = search
  if (state === undefined || state === '') return undefined
  return {
    state,
    ...(code === undefined ? {} : { code }),
    ...(iss === undefined ? {} : { iss }),
    ...(error === undefined ? {} : { error }),
  }
}

/** The address of an authorization server, if a browser may go there. Pure. */
export function authorizationAddress(given: string | undefined): string | undefined {
  const url = URL.parse(given ?? '')
  return url !== null && ['https:', 'http:'].includes(url.protocol) ? url.href : undefined
}

/** Why a consent was refused, in the words of the pages. Pure. */
export function wordsOfConsent(failure: unknown): string {
  const code = failure instanceof ApiProblem ? (failure.facts.code ?? '') : ''
  if (Object.hasOwn(refusals, code)) return refusals[code as keyof typeof refusals]
  return failure instanceof Error ? failure.message : String(failure)
}
