// Letters that look like an ASCII letter. They are the Cyrillic, Greek, Armenian, Lisu and Cherokee ones of confusables.txt (Unicode 17.0,
// 2025-09), and the small capitals of generators of styled text.
const table = `
a аα b Ьᖯ c сϲ d ԁ e еҽ g ɡ h һհ i іιıɩ j јϳ l ӏӀ n ոп o оοօσ p рρ q ԛ r г s ѕ t т u υս v ѵν w ԝѡ x х y уүγ
A АΑ B ВΒв C СϹ E ЕΕ G Ԍ H НΗн I ІΙ J ЈͿ K КΚκк M МΜм N Ν O ОΟՕ P РΡ Q Ԛ S ЅՏ T ТΤ U Ս V Ѵ W Ԝ X ХΧ Y ҮΥ Z Ζ 3 З 6 б
a ᴀ b ʙ c ᴄ d ᴅ e ᴇ f ꜰ g ɢ h ʜ i ɪ j ᴊ k ᴋ l ʟ m ᴍ n ɴ o ᴏ p ᴘ q ǫ r ʀ s ꜱ t ᴛ u ᴜ v ᴠ w ᴡ y ʏ z ᴢ
A ꓮᎪ B ꓐᏴ C ꓚᏟ D ꓓᎠ E ꓰᎬ F ꓝ G ꓖᏀ H ꓧᎻ I ꓲ J ꓙᎫ K ꓗᏦ L ꓡᏞ M ꓟᎷ N ꓠ O ꓳ P ꓑᏢ R ꓣᎡᏒ S ꓢᏚ T ꓔᎢ U ꓴ V ꓦᏙ W ꓪᎳᏔ X ꓫ Y ꓬᎩ Z ꓜᏃ
i Ꭵ h Ꮒ b Ꮟ 4 Ꮞ`

const alike: ReadonlyMap<string, string> = new Map(toPairs(table.trim().split(/\s+/)))

/** Returns the ASCII character that a letter resembles; undefined for ASCII characters and letters without a look-alike. */
export function lookAlikeOf(letter: string): string | undefined {
  return alike.get(letter)
}

// A shorter one may be a word of its own language: `сор`, `рота`.
const SHORTEST_DISGUISED = 6

/** Whether each letter of a word looks like an ASCII letter, in a word too long for chance. */
export function isAllAlike(word: string): boolean {
  const letters = word.match(/\p{L}/gu) ?? []
  return letters.length >= SHORTEST_DISGUISED && letters.every((letter) => alike.has(letter))
}

function toPairs(entries: readonly string[]): (readonly [string, string])[] {
  return entries.flatMap((letters, index) =>
    index % 2 === 0 ? [] : Array.from(letters, (letter) => [letter, entries[index - 1] ?? letter] as const),
  )
}
