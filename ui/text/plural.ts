const rules = new Intl.PluralRules('en')

/** A count with its noun: `1 run`, `12 runs`. */
export function plural(count: number, one: string, other: string): string {
  return `${count.toLocaleString('en')} ${rules.select(count) === 'one' ? one : other}`
}
