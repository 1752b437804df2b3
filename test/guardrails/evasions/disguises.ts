/** Kinds of contents: digits; keys and addresses; Latin words; texts of other letters; texts whose case and letters are exact. */
export type Letters = 'digits' | 'shape' | 'word' | 'other' | 'exact'

/** A way to write a content so that it is read the same. */
export interface Disguise {
  readonly name: string
  /** The contents that it can be applied to; all of them without it. */
  readonly letters?: readonly Letters[]
  /** Characters that it adds before and behind the content, which may be left. */
  readonly carrier?: readonly [number, number]
  write(value: string): string
}

const each = (write: (character: string) => string) => (value: string) => Array.from(value, write).join('')
const between = (hidden: string) => (value: string) => Array.from(value).join(hidden)
const gaps = (gap: string) => (value: string) => value.replaceAll(' ', gap)
const tableOf = (from: string, to: string): ReadonlyMap<string, string> => {
  const targets = Array.from(to)
  return new Map(Array.from(from, (one, index) => [one, targets[index] ?? one]))
}
const by = (table: ReadonlyMap<string, string>) => each((one) => table.get(one) ?? one)
const shifted = (ranges: readonly (readonly [string, string, number])[]) =>
  each((one) => {
    const range = ranges.find(([from, to]) => one >= from && one <= to)
    return range === undefined ? one : String.fromCodePoint(range[2] + one.charCodeAt(0) - range[0].charCodeAt(0))
  })
const insideOf = (text: string) => (value: string) => {
  const characters = Array.from(value)
  return characters.toSpliced(characters.length >> 1, 0, text).join('')
}
const code = (one: string): number => one.codePointAt(0) ?? 0
const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0')
const units = (value: string): string[] => Array.from({ length: value.length }, (_, at) => value[at] ?? '')

const cyrillic = tableOf('aceopxyAEOPCTHKMBX', 'асеорхуАЕОРСТНКМВХ')
const greek = tableOf('ovABEHIKMNOPTX', 'ονΑΒΕΗΙΚΜΝΟΡΤΧ')
const smallCapitals = tableOf('abcdefghijklmnoprstuvwyz', 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ')
const leet = tableOf('aeiost0123', '4310$7oizE')
const names = new Map([
  ['@', '&commat;'],
  ['.', '&period;'],
  ['-', '&hyphen;'],
  [' ', '&nbsp;'],
  ['_', '&lowbar;'],
])
const digitWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Every disguise. */
export const disguises: readonly Disguise[] = [
  { name: 'none', write: (value) => value },
  { name: 'zero-width spaces', write: between('\u200b') },
  { name: 'soft hyphens', write: between('\u00ad') },
  { name: 'tags', write: between('\u{E0041}') },
  { name: '1,000 zero-width joiners', write: between('\u2060'.repeat(1000)) },
  { name: 'full width', letters: ['digits', 'shape', 'word', 'exact'], write: shifted([['!', '~', 0xff01]]) },
  {
    name: 'bold',
    letters: ['digits', 'shape', 'word', 'exact'],
    write: shifted([
      ['A', 'Z', 0x1d400],
      ['a', 'z', 0x1d41a],
      ['0', '9', 0x1d7ce],
    ]),
  },
  {
    name: 'in circles',
    letters: ['digits', 'shape', 'word'],
    write: shifted([
      ['a', 'z', 0x24d0],
      ['1', '9', 0x2460],
    ]),
  },
  { name: 'keycaps', letters: ['digits'], write: each((one) => (/\d/.test(one) ? `${one}\uFE0F\u20E3` : one)) },
  { name: 'Arabic digits', letters: ['digits', 'shape'], write: shifted([['0', '9', 0x660]]) },
  { name: 'Cyrillic letters', letters: ['shape', 'word', 'exact'], write: by(cyrillic) },
  { name: 'Greek letters', letters: ['shape', 'word', 'exact'], write: by(greek) },
  { name: 'small capitals', letters: ['word'], write: by(smallCapitals) },
  { name: 'strokes', letters: ['digits', 'shape', 'word', 'exact'], write: each((one) => `${one}\u0336`) },
  { name: 'decimal references', write: each((one) => `&#${code(one)};`) },
  { name: 'hexadecimal references', write: each((one) => `&#x${hex(code(one), 4)};`) },
  { name: 'named references', letters: ['digits', 'shape', 'word', 'exact'], write: by(names) },
  { name: 'percent', write: (value) => Array.from(Buffer.from(value), (byte) => `%${hex(byte, 2)}`).join('') },
  {
    name: 'escapes of JSON',
    write: (value) =>
      units(value)
        .map((one) => `\\u${hex(one.charCodeAt(0), 4)}`)
        .join(''),
  },
  {
    name: 'escapes of bytes',
    letters: ['digits', 'shape', 'word', 'exact'],
    write: each((one) => `\\x${hex(code(one), 2)}`),
  },
  { name: 'base64', carrier: [8, 8], write: (value) => Buffer.from(`it is ${value} now`).toString('base64') },
  {
    name: 'base64 for addresses',
    carrier: [4, 6],
    write: (value) => Buffer.from(`>> ${value} <<`).toString('base64url'),
  },
  { name: 'hexadecimal', carrier: [12, 0], write: (value) => Buffer.from(`it is ${value}`).toString('hex') },
  { name: 'two spaces', write: gaps('  ') },
  { name: '1,000 spaces', write: gaps(' '.repeat(1000)) },
  { name: 'no-break spaces', write: gaps('\u00a0\u202f') },
  { name: 'tabs', write: gaps('\t') },
  { name: 'lines', write: gaps('\r\n') },
  { name: 'long dashes', letters: ['digits', 'shape'], write: (value) => value.replaceAll('-', '\u2013') },
  { name: 'reversed', letters: ['digits', 'shape', 'word'], write: (value) => Array.from(value).toReversed().join('') },
  { name: 'leet', letters: ['word'], write: by(leet) },
  {
    name: 'rot13',
    letters: ['shape', 'word'],
    write: (value) =>
      value.replace(/[a-z]/gi, (one) => String.fromCharCode(one.charCodeAt(0) + (/[a-m]/i.test(one) ? 13 : -13))),
  },
  { name: 'spelled digits', letters: ['digits'], write: each((one) => ` ${digitWords[Number(one)] ?? one}`) },
  { name: 'spaces between all', write: between(' ') },
  { name: 'dashes between all', letters: ['shape', 'word', 'exact'], write: between('-') },
  { name: 'dots between all', letters: ['word', 'exact'], write: between('.') },
  { name: 'pictures between all', letters: ['digits', 'shape', 'word', 'exact'], write: between('\u{1F642}') },
  {
    name: 'octal escapes',
    letters: ['digits', 'shape', 'word', 'exact'],
    write: each((one) => `\\${code(one).toString(8).padStart(3, '0')}`),
  },
  { name: 'escapes of Python', letters: ['shape', 'word'], write: each((one) => `\\U${hex(code(one), 8)}`) },
  { name: 'percent with units', letters: ['shape', 'word', 'other'], write: each((one) => `%u${hex(code(one), 4)}`) },
  {
    name: 'references with zeros',
    letters: ['shape', 'digits'],
    write: each((one) => `&#${String(code(one)).padStart(12, '0')};`),
  },
  { name: 'percent twice', write: (value) => Array.from(Buffer.from(value), (byte) => `%25${hex(byte, 2)}`).join('') },
  { name: 'references twice', write: each((one) => `&amp;#${code(one)};`) },
  {
    name: 'base64 in an address',
    carrier: [10, 0],
    write: (value) => `q=${Buffer.from(`it is ${value}`).toString('base64url')}`,
  },
  {
    name: 'base64 in lines',
    carrier: [78, 70],
    write: (value) =>
      (
        Buffer.from(
          `These lines are a text of a mail, in which there is ${value} and something else: nothing of interest.`,
        )
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join('\r\n'),
  },
  {
    name: 'defanged',
    letters: ['shape', 'digits'],
    write: (value) => value.replaceAll('@', ' [at] ').replaceAll('.', '[.]'),
  },
  { name: 'a tag', write: insideOf('<b></b>') },
  { name: 'a tag for breaks', letters: ['shape', 'digits'], write: insideOf('<wbr>') },
  { name: 'a comment', letters: ['shape', 'word'], write: insideOf('<!-- -->') },
  { name: 'emphasis', letters: ['word'], write: insideOf('**') },
  { name: 'strings that are put together', letters: ['shape', 'exact'], write: insideOf('" + "') },
  { name: 'a continued line', letters: ['shape', 'exact'], write: insideOf('\\\n  ') },
  { name: 'colours', letters: ['shape', 'digits', 'exact'], write: insideOf('\u001b[1;31m') },
  { name: 'wide separators', letters: ['shape', 'word', 'digits'], write: between(' . ') },
  { name: 'in parentheses', letters: ['word'], write: shifted([['a', 'z', 0x249c]]) },
  { name: 'without hamza', letters: ['other'], write: (value) => value.replaceAll('\u0623', '\u0627') },
  {
    name: 'base64 twice',
    carrier: [16, 16],
    write: (value) => Buffer.from(Buffer.from(`it is ${value}`).toString('base64')).toString('base64'),
  },
  { name: 'all Cyrillic', letters: ['word'], write: by(tableOf('aceopxylnrtjsdw', 'асеорхуӏпгтјѕԁԝ')) },
  {
    name: 'quoted-printable',
    write: (value) => Array.from(Buffer.from(value), (byte) => `=${hex(byte, 2).toUpperCase()}`).join(''),
  },
  { name: 'a soft break of mail', letters: ['digits', 'shape', 'word', 'exact'], write: insideOf('=\r\n') },
  { name: 'strings of PHP', letters: ['shape', 'exact'], write: insideOf("' . '") },
  { name: 'strings side by side', letters: ['shape', 'exact'], write: insideOf('" "') },
  { name: 'sections of XML', letters: ['shape', 'word', 'exact'], write: insideOf(']]><![CDATA[') },
  { name: 'a comment of a program', letters: ['shape', 'word', 'exact'], write: insideOf('/* nothing to see here */') },
  { name: 'empty braces', letters: ['shape', 'word', 'exact'], write: insideOf('{}') },
  { name: 'an empty expression', letters: ['shape', 'word', 'exact'], write: insideOf('${""}') },
  { name: 'references that are not seen', write: between('&ZeroWidthSpace;') },
  {
    name: 'escapes of Markdown',
    letters: ['shape', 'exact'],
    write: each((one) => (/[-_.@]/.test(one) ? `\\${one}` : one)),
  },
  { name: 'ticks', letters: ['word', 'exact'], write: insideOf('`') },
  { name: 'light emphasis', letters: ['word', 'exact'], write: insideOf('*') },
  {
    name: 'Lisu letters',
    letters: ['shape', 'exact'],
    write: by(tableOf('ABCDEFGHIJKLMNOPRSTUVWXYZ', 'ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ')),
  },
  {
    name: 'Cherokee letters',
    letters: ['shape', 'exact'],
    write: by(tableOf('ABCDEGHJKLMPRSTVWYZ', 'ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᎩᏃ')),
  },
  {
    name: 'base64 of UTF-16',
    letters: ['digits', 'shape', 'word', 'exact'],
    carrier: [16, 16],
    write: (value) => Buffer.from(`it is ${value} now`, 'utf16le').toString('base64'),
  },
]
