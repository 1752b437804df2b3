/** Options of a command that lists. */
export const listOptions = {
  'all-namespaces': { short: 'A', help: 'list the namespaces that you may see' },
  limit: { value: 'N', default: '50', help: 'maximum number of items', parse: toLimit },
} as const

function toLimit(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 10_000) throw new Error('must be 1 to 10000')
  return Number(text)
}
