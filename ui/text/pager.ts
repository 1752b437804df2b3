/** The words of the pages of a list, in English. */
export const pagerText = {
  label: 'Pages of the list',
  newest: {
    back: 'Newer',
    onward: 'Older',
    isFirst: 'These are the newest',
    isLast: 'These are the oldest',
  },
  other: {
    back: 'Previous',
    onward: 'Next',
    isFirst: 'This is the first page',
    isLast: 'This is the last page',
  },
} as const
