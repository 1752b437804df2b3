import { defineCommand } from '#core/plugin/command.ts'

/** `mesh audit verify`. */
export const auditVerify = defineCommand({
  words: 'audit verify',
  summary: 'check the seals of the audit log',
  description: `Verifies the seals of the audit log and names the first bad day and row.

Reads DATABASE_URL, as the roles do.`,
  options: {
    head: {
      value: 'DAY=HEAD',
      repeatable: true,
      help: 'a head as it was published (line mesh_audit_seal, event day-sealed)',
      parse: parseHead,
    },
    output: { oneOf: ['text', 'json'], default: 'text', help: 'form of the result' },
  },
  exitCodes: { 3: 'not intact' },
  load: async () => (await import('./seal/verify-command.ts')).verifySeals,
})

function parseHead(text: string): readonly [day: string, head: string] {
  const [, day, head] = /^(\d{4}-\d{2}-\d{2})=([0-9a-f]{64})$/.exec(text) ?? []
  if (day === undefined || head === undefined) throw new Error('must be DAY=HEAD, as in 2026-11-20=<64 hex digits>')
  return [day, head]
}
