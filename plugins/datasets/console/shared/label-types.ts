/** Types of labels, in the order of a choice. */
export const labelTypes = ['boolean', 'numeric', 'categorical', 'text', 'correction'] as const
