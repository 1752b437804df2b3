/** NATS subject of a domain event: `mesh.v1.<namespace or _>.<plugin>.<fact>`. */
export function toSubject(type: string, namespace: string | undefined): string {
  return `mesh.v1.${namespace ?? '_'}.${tailOf(type)}`
}

/** Subjects of these event types, in any namespace or in the given ones. */
export function toSubjects(types: readonly string[] | 'all', namespaces: readonly string[] = ['*']): readonly string[] {
  const tails = types === 'all' ? ['>'] : [...new Set(types.map(tailOf))]
  if (types === 'all' && namespaces.includes('*')) return ['mesh.v1.>']
  return namespaces.flatMap((namespace) => tails.map((tail) => `mesh.v1.${namespace}.${tail}`))
}

// `dev.mesh.runs.run-created.v1` and a third party's `com.acme.x.thing-made.v2` both end in plugin, fact and version.
function tailOf(type: string): string {
  const [plugin, fact] = type.split('.').slice(-3)
  if (plugin === undefined || fact === undefined) throw new Error(`${type}: an event type ends in <plugin>.<fact>.v<n>`)
  return `${plugin}.${fact}`
}

/** Whether a subject matches a NATS filter with wildcards `*` (one token) and `>` (the rest). */
export function matches(filter: string, subject: string): boolean {
  const wanted = filter.split('.')
  const given = subject.split('.')
  for (const [index, token] of wanted.entries()) {
    if (token === '>') return given.length > index
    if (given[index] === undefined || (token !== '*' && token !== given[index])) return false
  }
  return wanted.length === given.length
}
