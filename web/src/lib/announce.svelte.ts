// What a screen reader should say.

let said = $state('');

export function announce(text: string): void {
  // The same text twice in a row must be said twice.
  said = said === text ? `${text}\u00a0` : text;
}

export const announcement = {
  get text() {
    return said;
  },
};
