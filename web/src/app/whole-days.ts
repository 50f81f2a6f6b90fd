/** The beginning of a day where the person is, some days later, as the server is told. */
function beginOf(day: string, daysLater = 0): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}

/** The filter as the server takes it: days are whole days in the user's time zone. */
export function withMoments<F extends { from?: string; to?: string }>({ from, to, ...rest }: F) {
  return {
    ...rest,
    ...(from && { from: beginOf(from) }),
    ...(to && { to: beginOf(to, 1) }),
  };
}
