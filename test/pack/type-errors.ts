import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * Writes modules into a folder where the package is installed and type-checks them as their author would, under strict:
 * the errors of each file that has some, those of the package's declarations included (by their paths).
 */
export function typeErrors(folder: string, modules: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const files = Object.keys(modules).map((name) => join(folder, name))
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text)
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    types: ['node'],
    configFilePath: join(folder, 'tsconfig.json'),
  })
  // Not those of the libraries below them, which would take three times as long.
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => files.includes(fileName) || fileName.includes('/@mesh.dev/mesh/'))
  return new Map(
    ours.flatMap((file) => {
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      const text = found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n')
      return found.length === 0 ? [] : [[file.fileName.slice(folder.length + 1), text] as const]
    }),
  )
}
