import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A floor of a start: a program with nothing but a server of `node:http`, which prints a line on stderr when it listens. */
export interface BareServer {
  readonly name: string
  readonly file: string
}

// A module that imports node:http reads all its exports, which loads Node's own fetch for one of them; asked for by name it comes without.
const programs = {
  'bare http': `import { createServer } from 'node:http'`,
  'bare http, without its import': `const { createServer } = process.getBuiltinModule('node:http')`,
}

/** Writes the floors into a folder: as anybody writes it, which the goals mean, and as light as it can be. */
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
