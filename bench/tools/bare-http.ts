import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A floor for startup: a program with only a server of `node:http`, which prints a line on stderr when it listens. */
export interface BareServer {
  readonly name: string
  readonly file: string
}

// A module that imports node:http evaluates all its exports, which loads Node's own fetch; a destructured `require` does not.
const programs = {
  'bare http': `import { createServer } from 'node:http'`,
  'bare http, without its import': `const { createServer } = process.getBuiltinModule('node:http')`,
}

/** Writes the floors into a folder: as commonly written, which the goals use, and as light as possible. */
export function writeBareServers(folder: string, line: object): readonly BareServer[] {
  return Object.entries(programs).map(([name, text], index) => {
    const file = join(folder, `bare-${index}.mjs`)
    writeFileSync(
      file,
      `${text}\ncreateServer().listen(0, '127.0.0.1', () => console.error(${JSON.stringify(JSON.stringify(line))}))\n`,
    )
    return { name, file }
  })
}
