import { cliHelpPages } from '../../../cli/main.ts'

/** Commands of `meshctl` with flags and defaults, and exit codes by command, as `--help` prints them. */
export async function commandNames(): Promise<{
  readonly commands: ReadonlySet<string>
  readonly exitCodes: ReadonlySet<string>
}> {
  const pages = [...(await cliHelpPages())].filter(([words]) => words !== '')
  return {
    commands: new Set(pages.flatMap(([words, text]) => [words, ...optionsOf(text).map((one) => `${words} ${one}`)])),
    exitCodes: new Set(pages.flatMap(([words, text]) => exitCodesOf(text).map((code) => `${words} ${code}`))),
  }
}

function optionsOf(text: string): string[] {
  const flags = [...text.matchAll(/^  (?:-([a-z]), )?--([a-z-]+)(?=[ |])(.*)$/gm)].flatMap(
    ([, short, long, rest = '']) => {
      const preset = /\(default ([^,)]+)/.exec(rest)?.[1]
      return [...(short === undefined ? [] : [`-${short}`]), `--${long}`, ...(preset ? [`--${long} = ${preset}`] : [])]
    },
  )
  return [...flags, ...[...text.matchAll(/^  ([A-Z][A-Z_]+) {2,}\S/gm)].map(([, name = '']) => `<${argumentOf(name)}>`)]
}

// The help writes a given-by-position argument in capitals.
function argumentOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

function exitCodesOf(text: string): string[] {
  // Wrapped lines are indented.
  const line = (/^Exit code: (.*(?:\n  .*)*)/m.exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' ')
  return [...`, ${line}`.matchAll(/, (\d{1,3}) /g)].map(([, code = '']) => code)
}
