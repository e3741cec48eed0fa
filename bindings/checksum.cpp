// The checksum of model files.
#include "model_file/checksum.hpp"

#include "arrays.hpp"

namespace silvics::bindings {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::byte> bytes_of(const Bytes& array) {
    return {reinterpret_cast<const std::byte*>(array.data()), array.size()};
}

// The checksum of the head and of the checksums of all pieces of the rest. Threads share the
// pieces.
std::uint64_t checksum_of(const Bytes& head, const Bytes& rest) {
    if (head.size() % Checksum::kLine != 0 && rest.size() > 0)
        throw std::invalid_argument("the length of the head is not a multiple of 64 bytes");
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const auto all = bytes_of(rest);
    std::vector<std::uint64_t> sums((all.size() + kPiece - 1) / kPiece);
    with_team(sums.size() > 8, [&](ThreadTeam& team) {
        team.run(sums.size(), [&](std::size_t i, std::size_t) {
            Checksum piece;
            piece.add(all.subspan(i * kPiece, std::min(kPiece, all.size() - i * kPiece)));
            sums[i] = piece.sum();
        });
    });
    Checksum whole;
    whole.add(bytes_of(head));
    whole.add(std::as_bytes(std::span(sums)));
    return whole.sum();
}

}  // namespace

void bind_checksum(nb::module_& m) {
    m.def("checksum", &checksum_of, nb::arg("head"), nb::arg("rest"),
          "A checksum of bytes in two parts. The length of the first is a multiple of 64.");
}

}  // namespace silvics::bindings
