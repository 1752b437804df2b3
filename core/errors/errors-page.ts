import { errorTable } from './core-errors.ts'

/** Renders docs/reference/errors.md from the table. */
export function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, title }]): [string, number, string] => [
    code,
    status,
    title,
  ])
  const sorted = rows.toSorted(([a, s], [b, u]) => s - u || (a < b ? -1 : 1))
  return `<!-- Generated from core/errors/core-errors.ts by \`npm run generate\`; do not edit. -->
# Errors

Every error is \`application/problem+json\` (RFC 9457): \`type\` (\`urn:mesh:error:<code>\`), \`title\`, \`status\`, \`detail\`, \`instance\`, \`code\`,
\`traceId\`, \`retryable\`, \`errors[{pointer, detail}]\` for refused input, and \`cluster{reason, message, details, code, auditId}\` where the
Kubernetes API server gave the answer. A pointer is an RFC 6901 pointer into the body (\`/spec/image\`), \`?name\` for a query parameter or
\`:name\` for a path parameter. Programs decide by \`code\`, which is stable; texts may change. 429 and 503 carry \`Retry-After\`, 405 carries \`Allow\`.
The answers to an unknown path, an unknown share and a missing bearer have neither \`instance\` nor \`traceId\`: the request id is in \`x-request-id\`.

| code | status | meaning |
|---|---|---|
${sorted.map(([code, status, title]) => `| \`${code}\` | ${status} | ${title} |`).join('\n')}
`
}
