import ts from 'typescript'

/** A promise that no code waits for and whose rejection no code handles: the rejection ends the process (PODA1). */
export interface DroppedPromise {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** Finds the dropped promises of the named files; paths are relative to `root`. */
export function droppedPromises(root: string, files: readonly string[]): DroppedPromise[] {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root)
  const program = ts.createProgram(
    files.map((path) => `${root}/${path}`),
    { ...options, noEmit: true, skipLibCheck: true },
  )
  const checker = program.getTypeChecker()
  return files.flatMap((path) => {
    const source = program.getSourceFile(`${root}/${path}`)
    return source === undefined ? [] : droppedIn(source, checker).map((found) => ({ path, ...found }))
  })
}

function droppedIn(source: ts.SourceFile, checker: ts.TypeChecker): Omit<DroppedPromise, 'path'>[] {
  const found: Omit<DroppedPromise, 'path'>[] = []
  const visit = (node: ts.Node): void => {
    const dropped = droppedBy(node)
    if (dropped !== undefined && !isHandled(dropped) && isPromise(checker.getTypeAtLocation(dropped))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      found.push({ line: line + 1, text: dropped.getText(source).split('\n')[0] ?? '' })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

// `run()` as a statement, and the operand of `void`.
function droppedBy(node: ts.Node): ts.Expression | undefined {
  if (!ts.isVoidExpression(node) && !ts.isExpressionStatement(node)) return undefined
  const { expression } = node
  return ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression) ? expression : undefined
}

// A Fastify reply has a `then` too, so the name decides.
function isPromise(type: ts.Type): boolean {
  return type.isUnion() ? type.types.some(isPromise) : type.symbol?.name === 'Promise'
}

// `x.catch(...)` and `x.then(..., ...)`, with or without `.finally(...)` after it.
function isHandled(expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false
  const { name, expression: target } = expression.expression
  if (name.text === 'finally') return isHandled(target)
  return name.text === 'catch' || (name.text === 'then' && expression.arguments.length === 2)
}
