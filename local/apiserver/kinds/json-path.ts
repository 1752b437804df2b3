import type { Json } from '../json/json-value.ts'

type Step = (value: Json) => Json[]

const PART =
  /^(?:\.?\['((?:\\'|[^'])*)'\]|\[(-?\d+|\*)\]|\[\?\(@((?:\.[\w-]+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\)\]|\.((?:\\.|[^.[\\])+))/

function child(key: string): Step {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    if (key === '*') return Object.values(value).filter((item) => item !== undefined)
    const found = Object.hasOwn(value, key) ? value[key] : undefined
    return found === undefined ? [] : [found]
  }
}

function element(index: string): Step {
  return (value) => {
    if (index === '*') return Array.isArray(value) ? value : child('*')(value)
    const found = Array.isArray(value) ? value.at(Number(index)) : undefined
    return found === undefined ? [] : [found]
  }
}

function filter(path: string, equal: boolean, wanted: string): Step {
  const read = compileJsonPath(path)
  return (value) =>
    Array.isArray(value) ? value.filter((item) => read(item).some((at) => String(at) === wanted) === equal) : []
}

/** Compiles the JSONPath subset that printer columns use: keys, indexes, `[*]` and one comparison as a filter. */
export function compileJsonPath(path: string): (value: Json) => Json[] {
  const steps: Step[] = []
  let rest = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`
  while (rest !== '' && rest !== '.') {
    const found = PART.exec(rest)
    if (!found) throw new Error(`JSONPath ${path} is not understood at ${rest}`)
    const [all, quoted, index, filterPath, operator, double, single, bare, key] = found
    if (quoted !== undefined) steps.push(child(quoted.replaceAll("\\'", "'")))
    else if (index !== undefined) steps.push(element(index))
    else if (filterPath !== undefined) steps.push(filter(filterPath, operator === '==', double ?? single ?? bare ?? ''))
    else steps.push(child((key ?? '').replace(/\\(.)/g, '$1')))
    rest = rest.slice(all.length)
  }
  return (value) => steps.reduce<Json[]>((values, step) => values.flatMap(step), [value])
}
