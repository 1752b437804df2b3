/** Whether a client asks for JSON and for no page, by its `Accept` header: a program at an address of browsers. */
export function wantsJson(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((one) => (one.split(';')[0] ?? '').trim().toLowerCase())
  const isPage = types.some((type) => type === 'text/html' || type === 'text/*' || type === 'application/xhtml+xml')
  return !isPage && types.some((type) => type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type))
}
