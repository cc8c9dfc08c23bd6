// SPDX-License-Identifier: BSD-2-Clause
#include "query/expression.h"

#include <array>
#include <charconv>
#include <utility>

namespace query {
namespace {

using Kind = Expression::Kind;

template <typename Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Recursive descent, by SQLite's precedence of operators. is_good_ is false after an unsupported
// construct.
class Reader {
 public:
  Reader(Tokens tokens, const ExpressionNames& names) : tokens_(tokens), names_(names) {}

  std::optional<Expression> Read() {
    Expression read = Disjunction();
    return is_good_ && at_ == tokens_.size() ? std::optional(std::move(read)) : std::nullopt;
  }

 private:
  struct Operator {
    std::string_view sign;
    Kind kind;
  };

  Expression Fail() {
    is_good_ = false;
    return {};
  }
  Expression Made(Kind kind, std::vector<Expression> operands) {
    if (++operators_ > kMaxOperators || operands.size() > kMaxOperands) return Fail();
    Expression made;
    made.kind = kind;
    made.operands = std::move(operands);
    return made;
  }
  template <typename... Operands>
  Expression Of(Kind kind, Operands... operands) {
    std::vector<Expression> all;
    (all.push_back(std::move(operands)), ...);
    return Made(kind, std::move(all));
  }
  bool More() const { return is_good_ && at_ < tokens_.size(); }
  bool IsSign(std::string_view sign) const { return More() && tokens_[at_].IsSign(sign); }
  bool TakeSign(std::string_view sign) {
    const bool is_it = IsSign(sign);
    at_ += is_it ? 1 : 0;
    return is_it;
  }
  bool Take(std::string_view word) {
    const bool is_it = More() && tokens_[at_].Is(word);
    at_ += is_it ? 1 : 0;
    return is_it;
  }

  Expression Disjunction() {
    Expression left = Conjunction();
    while (Take("OR")) left = Of(Kind::kOr, std::move(left), Conjunction());
    return left;
  }
  Expression Conjunction() {
    Expression left = Negation();
    while (Take("AND")) left = Of(Kind::kAnd, std::move(left), Negation());
    return left;
  }
  Expression Negation() {
    if (++depth_ > kMaxDepth) return Fail();
    Expression read = Take("NOT") ? Of(Kind::kNot, Negation()) : Equality();
    --depth_;
    return read;
  }

  Expression Equality() {
    static constexpr std::array<Operator, 4> kSigns = {{{"=", Kind::kEqual},
                                                        {"==", Kind::kEqual},
                                                        {"<>", Kind::kNotEqual},
                                                        {"!=", Kind::kNotEqual}}};
    Expression left = Comparison();
    while (More()) {
      if (const auto kind = TakeOneOf(kSigns)) {
        left = Of(*kind, std::move(left), Comparison());
      } else if (Take("IS")) {
        const Kind is = Take("NOT") ? Kind::kIsNot : Kind::kIs;
        // IS TRUE differs from IS 1.
        if (More() &&
            (tokens_[at_].Is("TRUE") || tokens_[at_].Is("FALSE") || tokens_[at_].Is("DISTINCT")))
          return Fail();
        left = Of(is, std::move(left), Comparison());
      } else if (Take("ISNULL")) {
        left = Of(Kind::kIs, std::move(left), Expression());
      } else if (Take("NOTNULL")) {
        left = Of(Kind::kIsNot, std::move(left), Expression());
      } else {
        const bool is_not = Take("NOT");
        if (Take("IN")) {
          left = List(std::move(left));
        } else if (Take("BETWEEN")) {
          Expression from = Comparison();
          if (!Take("AND")) return Fail();
          Expression above = Of(Kind::kGreaterEqual, left, std::move(from));
          Expression below = Of(Kind::kLessEqual, std::move(left), Comparison());
          left = Of(Kind::kAnd, std::move(above), std::move(below));
        } else if (is_not && Take("NULL")) {
          left = Of(Kind::kIsNot, std::move(left), Expression());
          continue;
        } else {
          return is_not ? Fail() : std::move(left);
        }
        if (is_not) left = Of(Kind::kNot, std::move(left));
      }
    }
    return left;
  }

  Expression List(Expression of) {
    if (!TakeSign("(") || IsSign(")")) return Fail();
    std::vector<Expression> operands = {std::move(of)};
    do {
      operands.push_back(Sum());
      if (!operands.back().IsConstant()) return Fail();
    } while (TakeSign(","));
    return TakeSign(")") ? Made(Kind::kIn, std::move(operands)) : Fail();
  }

  Expression Comparison() {
    static constexpr std::array<Operator, 4> kSigns = {{{"<", Kind::kLess},
                                                        {"<=", Kind::kLessEqual},
                                                        {">", Kind::kGreater},
                                                        {">=", Kind::kGreaterEqual}}};
    return LeftToRight(kSigns, [this] { return Sum(); });
  }
  Expression Sum() {
    static constexpr std::array<Operator, 2> kSigns = {{{"+", Kind::kAdd}, {"-", Kind::kSubtract}}};
    return LeftToRight(kSigns, [this] { return Product(); });
  }
  Expression Product() {
    static constexpr std::array<Operator, 3> kSigns = {
        {{"*", Kind::kMultiply}, {"/", Kind::kDivide}, {"%", Kind::kModulo}}};
    return LeftToRight(kSigns, [this] { return Factor(); });
  }
  std::optional<Kind> TakeOneOf(std::span<const Operator> operators) {
    for (const Operator& each : operators) {
      if (TakeSign(each.sign)) return each.kind;
    }
    return std::nullopt;
  }
  Expression LeftToRight(std::span<const Operator> operators,
                         const std::function<Expression()>& operand) {
    Expression left = operand();
    while (const auto kind = TakeOneOf(operators)) left = Of(*kind, std::move(left), operand());
    return left;
  }

  Expression Factor() {
    if (!More()) return Fail();
    const SqlToken& token = tokens_[at_];
    if (TakeSign("-")) {
      Expression of = Literal();
      if (of.kind != Kind::kInteger && of.kind != Kind::kReal) return Fail();
      of.number = -of.number;
      of.real = -of.real;
      return of;
    }
    if (token.kind == SqlToken::Kind::kNumber || token.kind == SqlToken::Kind::kText)
      return Literal();
    if (TakeSign("(")) return Parenthesis(token.depth);
    if (!token.IsName()) return Fail();
    if (Take("NULL")) return {};
    if (Take("CASE")) return Case();
    const bool is_call = at_ + 1 < tokens_.size() && tokens_[at_ + 1].IsSign("(");
    size_t size = at_ + 2 < tokens_.size() && tokens_[at_ + 1].IsSign(".") ? 3 : 1;
    const auto column = !is_call      ? names_.column(tokens_.subspan(at_, size))
                        : names_.call ? names_.call(tokens_.subspan(at_), size)
                                      : std::nullopt;
    if (!column) return is_call ? Call() : Fail();
    at_ += size;
    Expression read;
    read.kind = Kind::kColumn;
    read.column = *column;
    return read;
  }

  Expression Literal() {
    if (!More()) return Fail();
    const SqlToken& token = tokens_[at_++];
    Expression read;
    if (token.kind == SqlToken::Kind::kText) {
      read.kind = Kind::kText;
      read.text = token.Value();
      return read;
    }
    if (token.kind != SqlToken::Kind::kNumber) return Fail();
    if (const auto whole = NumberOf<int64_t>(token.source)) {
      read.kind = Kind::kInteger;
      read.number = *whole;
      return read;
    }
    // A whole number beyond 64 bits is a real number.
    const auto real = NumberOf<double>(token.source);
    if (!real || token.source.find_first_of(".eE") == std::string_view::npos) return Fail();
    read.kind = Kind::kReal;
    read.real = *real;
    return read;
  }

  // Behind its begin.
  Expression Parenthesis(size_t depth) {
    if (More() && (tokens_[at_].Is("SELECT") || tokens_[at_].Is("WITH"))) {
      size_t end = at_;
      while (end < tokens_.size() && tokens_[end].depth > depth) ++end;
      const auto scalar = names_.scalar(tokens_.subspan(at_, end - at_));
      if (!scalar || end == tokens_.size()) return Fail();
      at_ = end + 1;
      Expression read;
      read.kind = Kind::kScalar;
      read.number = static_cast<int64_t>(*scalar);
      return read;
    }
    Expression inner = Disjunction();
    return TakeSign(")") ? std::move(inner) : Fail();
  }

  Expression Case() {
    std::vector<Expression> operands;
    while (Take("WHEN")) {
      operands.push_back(Disjunction());
      if (!Take("THEN")) return Fail();
      operands.push_back(Disjunction());
    }
    if (operands.empty()) return Fail();
    if (Take("ELSE")) operands.push_back(Disjunction());
    return Take("END") ? Made(Kind::kCase, std::move(operands)) : Fail();
  }

  Expression Call() {
    struct Function {
      std::string_view name;
      Kind kind;
      size_t least;  // arguments
      size_t most;
    };
    static constexpr std::array<Function, 6> kFunctions = {{{"MIN", Kind::kLeast, 2, 100},
                                                            {"MAX", Kind::kGreatest, 2, 100},
                                                            {"COALESCE", Kind::kFirstKnown, 2, 100},
                                                            {"IFNULL", Kind::kFirstKnown, 2, 2},
                                                            {"IIF", Kind::kCase, 3, 3},
                                                            {"ABS", Kind::kAbsolute, 1, 1}}};
    for (const Function& function : kFunctions) {
      if (!tokens_[at_].Is(function.name)) continue;
      at_ += 2;
      std::vector<Expression> operands;
      do {
        operands.push_back(Disjunction());
      } while (TakeSign(","));
      if (!TakeSign(")") || operands.size() < function.least || operands.size() > function.most)
        break;
      return Made(function.kind, std::move(operands));
    }
    return Fail();
  }

  static constexpr size_t kMaxDepth = 100;
  // The values of each take 256 KiB.
  static constexpr size_t kMaxOperators = 64;
  static constexpr size_t kMaxOperands = 100;

  Tokens tokens_;
  const ExpressionNames& names_;
  size_t at_ = 0;
  size_t depth_ = 0;
  size_t operators_ = 0;
  bool is_good_ = true;
};

}  // namespace

std::optional<Expression> ReadExpression(Tokens tokens, const ExpressionNames& names) {
  return Reader(tokens, names).Read();
}

void ForEachColumn(const Expression& expression, const std::function<void(ColumnRef)>& each) {
  if (expression.kind == Kind::kColumn) each(expression.column);
  for (const Expression& operand : expression.operands) ForEachColumn(operand, each);
}

Expression::Kind MirroredKind(Kind kind) {
  switch (kind) {
    case Kind::kLess:
      return Kind::kGreater;
    case Kind::kLessEqual:
      return Kind::kGreaterEqual;
    case Kind::kGreater:
      return Kind::kLess;
    case Kind::kGreaterEqual:
      return Kind::kLessEqual;
    default:
      return kind;
  }
}

size_t OperatorsOf(const Expression& expression) {
  size_t count = expression.operands.empty() ? 0 : 1;
  for (const Expression& operand : expression.operands) count += OperatorsOf(operand);
  return count;
}

std::vector<Tokens> SplitAt(Tokens tokens, size_t depth, std::string_view sign) {
  std::vector<Tokens> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && !(tokens[i].depth == depth && tokens[i].IsSign(sign))) continue;
    parts.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::vector<Tokens> SplitAtAnd(Tokens condition, size_t depth) {
  std::vector<Tokens> terms;
  size_t begin = 0;
  size_t betweens = 0;  // BETWEENs whose AND has not occurred yet
  size_t cases = 0;
  for (size_t i = 0; i < condition.size(); ++i) {
    if (condition[i].depth != depth) continue;
    cases += condition[i].Is("CASE") ? 1 : 0;
    if (cases != 0) {
      cases -= condition[i].Is("END") ? 1 : 0;
      continue;
    }
    // All of it is one term.
    if (condition[i].Is("OR")) return {condition};
    betweens += condition[i].Is("BETWEEN") ? 1 : 0;
    if (!condition[i].Is("AND") || (betweens != 0 && betweens-- != 0)) continue;
    terms.push_back(condition.subspan(begin, i - begin));
    begin = i + 1;
  }
  terms.push_back(condition.subspan(begin));
  return terms;
}

}  // namespace query
