import { plural } from './plural.ts'

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

/** The words of the parts that show and change documents, in English. They are loaded with these parts. */
export const documentText = {
  editor: {
    loading: 'Loading the editor',
    problems: (count: number) => plural(count, 'problem', 'problems'),
    none: 'No problems',
    line: (line: number) => `Line ${line}`,
    tooLarge: 'The document is too large to be checked while it is typed. The server checks it.',
    save: 'Ctrl Enter saves',
  },
  diff: {
    equal: 'No difference',
    counts: (added: number, removed: number) => `${plural(added, 'line', 'lines')} added, ${removed} removed`,
    added: (count: number) => `+${count}`,
    removed: (count: number) => `−${count}`,
    changes: 'Changed fields',
    // Of the merge view, with its sign of the number.
    unchanged: '$ unchanged lines, Enter shows them',
    op: { add: 'added', remove: 'removed', replace: 'changed' },
    change: (path: string, op: string, from: string, to: string) =>
      `${path === '' ? 'The document' : path} ${op}${from === '' ? '' : ` from ${from}`}${to === '' ? '' : ` to ${to}`}`,
  },
  form: {
    readOnly: (line: number) => `The YAML does not parse, so the form is read-only. See line ${line}.`,
    readOnlyWhole: 'The document is not a mapping, so the form cannot change it.',
    tooLarge: 'The document is too large for a form. Change it in YAML.',
    onlyInYaml: 'Only in YAML',
    onlyInYamlDetail: 'These fields are kept as they are:',
    elsewhere: 'Refused',
    required: 'required',
    asYaml: 'YAML',
    notAnObject: 'must be the YAML of an object',
    unset: 'not set',
    byDefault: (value: string) => `default ${value}`,
    yes: 'Yes',
    no: 'No',
    add: (title: string) => `Add to ${title}`,
    remove: (title: string) => `Remove ${title}`,
    entry: (title: string, number: number) => `${title} ${number}`,
    key: 'Key',
    newKey: (title: string) => `New key of ${title}`,
    value: 'Value',
    valueOf: (name: string) => `Value of ${name}`,
    addKey: 'Add',
    set: (title: string) => `Set ${title}`,
  },
  problem: {
    at: (name: string, detail: string) => `${name}: ${detail}`,
    required: (name: string) => `${name} is required`,
    unknown: (name: string) => `unknown field ${JSON.stringify(name.slice(0, 64))}`,
    oneOf: (values: readonly string[]) => `must be ${values.slice(0, 12).join(', ')}`,
    type: (type: string) => `must be ${typeNames[type] ?? type}`,
    tooShort: (least: number) => (least === 1 ? 'must not be empty' : `must have at least ${least} characters`),
    tooLong: (most: number) => `must have at most ${most} characters`,
    pattern: (pattern: string) => `must match ${pattern.slice(0, 120)}`,
    least: (least: number) => `must be at least ${least}`,
    most: (most: number) => `must be at most ${most}`,
    fewest: (least: number) => `must have at least ${plural(least, 'entry', 'entries')}`,
    manyItems: (most: number) => `must have at most ${plural(most, 'entry', 'entries')}`,
  },
} as const
