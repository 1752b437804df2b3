/** Thrown for an expression that cannot be computed; the message is for the model. */
export class CalculationError extends Error {
  override readonly name = 'CalculationError'
}

const functions: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  cos: Math.cos,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log: Math.log10,
  max: Math.max,
  min: Math.min,
  round: Math.round,
  sin: Math.sin,
  sqrt: Math.sqrt,
  tan: Math.tan,
}
const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

const maxLength = 1000
const maxDepth = 50

/**
 * Computes an arithmetic expression: + - * / % ^ (right-associative), parentheses, the functions and constants above. A recursive-descent parser of a
 * closed grammar: the string is never executed as code. Throws `CalculationError`.
 */
export function calculate(expression: string): number {
  if (expression.length > maxLength) throw new CalculationError(`the expression is longer than ${maxLength} characters`)
  const reader = createReader(expression)
  const value = sum(reader, 0)
  if (reader.peek() !== undefined) throw new CalculationError(`unexpected ${reader.peek()}`)
  if (!Number.isFinite(value)) throw new CalculationError('the result is not a finite number')
  return value
}

interface Reader {
  peek(): string | undefined
  next(): string | undefined
  take(token: string): boolean
}

function createReader(expression: string): Reader {
  const tokens = expression.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|[a-z]+|\S/gi) ?? []
  let at = 0
  return {
    peek: () => tokens[at],
    next: () => tokens[at++],
    take: (token) => tokens[at] === token && at++ >= 0,
  }
}

function sum(reader: Reader, depth: number): number {
  let value = product(reader, depth)
  for (;;) {
    if (reader.take('+')) value += product(reader, depth)
    else if (reader.take('-')) value -= product(reader, depth)
    else return value
  }
}

function product(reader: Reader, depth: number): number {
  let value = unary(reader, depth)
  for (;;) {
    if (reader.take('*')) value *= unary(reader, depth)
    else if (reader.take('/')) value /= divisor(reader, depth)
    else if (reader.take('%')) value %= divisor(reader, depth)
    else return value
  }
}

function divisor(reader: Reader, depth: number): number {
  const value = unary(reader, depth)
  if (value === 0) throw new CalculationError('division by zero')
  return value
}

function unary(reader: Reader, depth: number): number {
  if (depth > maxDepth) throw new CalculationError('the expression nests too deeply')
  if (reader.take('-')) return -unary(reader, depth + 1)
  if (reader.take('+')) return unary(reader, depth + 1)
  return power(reader, depth)
}

function power(reader: Reader, depth: number): number {
  const base = primary(reader, depth)
  return reader.take('^') ? base ** unary(reader, depth + 1) : base
}

function primary(reader: Reader, depth: number): number {
  const token = reader.next()
  if (token === undefined) throw new CalculationError('the expression ends too early')
  if (token === '(') return closed(reader, sum(reader, depth + 1))
  if (/^[\d.]/.test(token) && token !== '.') return Number(token)
  const name = token.toLowerCase()
  if (Object.hasOwn(constants, name)) return constants[name] ?? Number.NaN
  const fn = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (fn === undefined) throw new CalculationError(`unexpected ${token}`)
  return fn(...callArguments(reader, depth))
}

function callArguments(reader: Reader, depth: number): number[] {
  if (!reader.take('(')) throw new CalculationError('a function needs its arguments in parentheses')
  const values = [sum(reader, depth + 1)]
  while (reader.take(',')) values.push(sum(reader, depth + 1))
  closed(reader, 0)
  return values
}

function closed(reader: Reader, value: number): number {
  if (!reader.take(')')) throw new CalculationError('a closing parenthesis is missing')
  return value
}
