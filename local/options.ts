import { parseArgs } from 'node:util'

/** Flags of `mesh all` (`npm start -- ...`). */
export interface LocalOptions {
  readonly data: string
  /** Port of the API; undefined: 8080, or another if it is taken. 0: a free port for every listener. */
  readonly port: number | undefined
  readonly fresh: boolean
  readonly demo: boolean
  readonly output: 'text' | 'json'
  /** Audit file of the embedded API server: one line per request. */
  readonly apiAudit: string | undefined
}

/** An unknown or malformed flag; the message names it. */
export class BadFlag extends Error {
  override readonly name = 'BadFlag'
}

/** The text of `--help`. */
export const usage = `  mesh all                            start everything on this machine, with its data in .mesh
  mesh all --port 9000 --data ~/mesh  another port, another folder
  mesh all --fresh --no-demo          from nothing, without the demo agents
  mesh all --output json              for programs: one line of JSON when everything is ready

usage: mesh all [--data DIR] [--port N] [--fresh] [--no-demo] [--output json] [--api-audit FILE]

  --data DIR        folder for everything that is kept (default .mesh)
  --port N          port of the API (default 8080, or a free one when that is taken; 0: every port is any free one)
  --fresh           start from nothing: what the folder holds is removed first
  --no-demo         no demo agents
  --output json     one line of JSON on stdout when ready; everything else on stderr
  --api-audit FILE  one line a request that reaches the embedded API server

Settings come from mesh.yaml of the working folder, or the file that MESH_CONFIG names. LOG_LEVEL=info prints what happens.
Exit code: 0 stopped by a signal, 1 could not start or run, 2 wrong arguments.
`

/** Parses the flags; throws `BadFlag`. */
export function parseOptions(args: readonly string[]): LocalOptions {
  const { values } = parse(args)
  if (values.output !== 'text' && values.output !== 'json') throw new BadFlag('--output: must be text or json')
  return {
    data: values.data,
    port: values.port === undefined ? undefined : parsePort(values.port),
    fresh: values.fresh,
    demo: !values['no-demo'],
    output: values.output,
    apiAudit: values['api-audit'],
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: 'string', default: '.mesh' },
        port: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        'no-demo': { type: 'boolean', default: false },
        output: { type: 'string', default: 'text' },
        'api-audit': { type: 'string' },
      },
      allowPositionals: false,
    })
  } catch (error) {
    throw new BadFlag(error instanceof Error ? error.message : String(error))
  }
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new BadFlag('--port: must be a number from 0 to 65535')
}
