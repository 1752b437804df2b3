import type { ErrorTable } from './define-errors.ts'

/** Errors of core or of one plugin. */
export interface ErrorOwner {
  /** `core`, or the name of the plugin. */
  readonly owner: string
  readonly errors: ErrorTable
}

/** Renders docs/reference/errors.md from the tables of core and the plugins. */
export function errorsPage(tables: readonly ErrorOwner[]): string {
  const rows = tables
    .flatMap(({ owner, errors }) => Object.values(errors).map((error) => ({ ...error, owner })))
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
    .map(({ code, status, owner, title }) => `| \`${code}\` | ${status} | ${owner} | ${title} |`)
  return `<!-- Generated from core/errors/core-errors.ts and the errors of the plugins by \`npm run generate\`; do not edit. -->
# Errors

Every error is \`application/problem+json\` (RFC 9457): \`type\` (\`urn:mesh:error:<code>\`), \`title\`, \`status\`, \`detail\`, \`instance\`, \`code\`,
\`traceId\`, \`retryable\`, \`errors[{pointer, detail}]\` for refused input, and \`cluster{reason, message, details, code, auditId}\` where the
Kubernetes API server responded. A pointer is an RFC 6901 pointer into the body (\`/spec/image\`), \`?name\` for a query parameter or
\`:name\` for a path parameter. Programs decide by \`code\`, which is stable; the wording may change. 429 and 503 carry \`Retry-After\`, 405 carries \`Allow\`.
The answers to an unknown path, an unknown share and a missing bearer have neither \`instance\` nor \`traceId\`: the request id is in \`x-request-id\`.
Third-party plugins add codes; \`/openapi.json\` of an installation lists all of its codes.

| code | status | declared by | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}
