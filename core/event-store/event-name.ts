/** The CloudEvents type of an event: `<domain>.<plugin>.<fact>.v<version>`. */
export function eventName(domain: string, { plugin, fact, version }: NamedFact): string {
  return `${domain}.${plugin}.${fact}.v${version}`
}

/** A fact of a plugin, and the version of its data. */
interface NamedFact {
  readonly plugin: string
  readonly fact: string
  readonly version: number
}
