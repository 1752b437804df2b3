import type { Source } from './sources.ts'

/** Returns each migration that prevents a rollback and that no line of the changelog announces as such, by owner and number. */
export function unannounced(sources: readonly Source[], changelog: string): readonly string[] {
  const lines = changelog.split('\n').filter((line) => line.includes('prevents a rollback'))
  return sources
    .filter(({ code }) => /^export const breaking = true$/m.test(code))
    .flatMap(({ path }) => {
      const [, folder = '', number] = /([a-z0-9-]+)\/migrations\/(\d{4})-[a-z0-9-]+\.ts$/.exec(path) ?? []
      const owner = folder === 'event-store' ? 'store' : folder
      const name = `\`${owner}\` ${number}`
      return lines.some((line) => line.includes(name)) ? [] : [name]
    })
}
